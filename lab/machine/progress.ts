/** A line on the error output that says what a long command is doing, and is replaced by the next one. */

const width = 70;

export function showProgress(text: string): void {
  process.stderr.write(`\r${text.padEnd(width)}`);
}

/** Removes the line, before results are printed. */
export function clearProgress(): void {
  process.stderr.write(`\r${''.padEnd(width)}\r`);
}
