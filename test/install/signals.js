// Tells its process id and every signal that comes, until SIGTERM ends it with the status that was given.
for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => console.log(signal));
// Ends it where a signal is lost that the test waits for.
const alive = setTimeout(() => {}, 60_000);
process.on('SIGTERM', () => {
  console.log('SIGTERM');
  clearTimeout(alive);
  process.exitCode = Number(process.argv[2]);
});
console.log(String(process.pid));
