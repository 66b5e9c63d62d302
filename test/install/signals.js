// Prints its process id and every signal received, until SIGTERM ends it with the given status.
for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => console.log(signal));
// Ends the process if a signal that the test waits for is lost.
const alive = setTimeout(() => {}, 60_000);
process.on('SIGTERM', () => {
  console.log('SIGTERM');
  clearTimeout(alive);
  process.exitCode = Number(process.argv[2]);
});
console.log(String(process.pid));
