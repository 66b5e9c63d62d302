// Loaded before the program that `pinned-node.js` starts as a child: stops it cleanly when the parent is gone.
const { Socket } = require('node:net');

const pipe = process.env.ROWHOUSE_PARENT_PIPE;
// Threads and processes started by this one follow it, not its parent.
delete process.env.ROWHOUSE_PARENT_PIPE;

if (pipe !== undefined) {
  const socket = new Socket({ fd: Number(pipe) });
  socket.on('error', () => {});
  socket.on('close', () => process.kill(process.pid, 'SIGTERM'));
  socket.resume().unref();
}
