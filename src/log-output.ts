/**
 * Writes the log to the standard output, never on the main thread, so that a frozen disk or a slow reader blocks no
 * request, and a blocked output does not end the service. Lines wait, up to a limit; those beyond it are lost, and
 * their number is logged afterwards.
 */
import { write, writeSync } from 'node:fs';
import type { Settings } from './config.ts';

/** After a failed attempt. */
const retryMs = 250;
/** At exit, the process waits at most this long for a blocked output. */
const lastRetryMs = 50;
const lastRetriesMax = 20;
/** The reader is gone for good. */
const gone = 'EPIPE';
const isTemporary = ({ code }: NodeJS.ErrnoException) => code === 'EAGAIN' || code === 'EBUSY';

export interface LogOutput {
  write(line: string): void;
}

/**
 * Writes the rest when the process exits.
 * @param lost gets the number of lost lines once all others are written
 */
export function openLogOutput(
  fd: number,
  { logQueuedBytesMax }: Pick<Settings, 'logQueuedBytesMax'>,
  lost: (lines: number) => void,
): LogOutput {
  let lines: string[] = [];
  let queuedBytes = 0;
  let lostLines = 0;
  let underWay: Buffer = Buffer.alloc(0);
  let isWriting = false;
  /** Set while waiting to retry; otherwise the system is performing the write. */
  let retry: NodeJS.Timeout | undefined;
  let isGone = false;

  const next = () => {
    if (underWay.length === 0) {
      underWay = Buffer.from(lines.join(''));
      lines = [];
    }
    isWriting = true;
    retry = undefined;
    write(fd, underWay, (error, written) => {
      if (error === null) taken(written);
      else if (error.code === gone) end();
      else retry = setTimeout(next, retryMs).unref();
    });
  };
  const taken = (written: number) => {
    underWay = underWay.subarray(written);
    queuedBytes -= written;
    if (queuedBytes > 0) return next();
    isWriting = false;
    if (lostLines === 0) return;
    const count = lostLines;
    lostLines = 0;
    lost(count);
  };
  const end = () => {
    isGone = true;
    lines = [];
    underWay = Buffer.alloc(0);
  };
  process.once('exit', () => {
    const first = isWriting && retry === undefined ? Buffer.alloc(0) : underWay;
    if (!isGone) writeLast(fd, Buffer.concat([first, Buffer.from(lines.join(''))]));
  });
  return {
    write(line) {
      const bytes = Buffer.byteLength(line);
      if (isGone) return;
      if (queuedBytes + bytes > logQueuedBytesMax) {
        lostLines++;
        return;
      }
      lines.push(line);
      queuedBytes += bytes;
      if (!isWriting) next();
    },
  };
}

function writeLast(fd: number, bytes: Buffer): void {
  const asleep = new Int32Array(new SharedArrayBuffer(4));
  for (let retries = 0; bytes.length > 0 && retries < lastRetriesMax; ) {
    try {
      bytes = bytes.subarray(writeSync(fd, bytes));
    } catch (error) {
      if (!isTemporary(error as NodeJS.ErrnoException)) return;
      retries++;
      Atomics.wait(asleep, 0, 0, lastRetryMs);
    }
  }
}
