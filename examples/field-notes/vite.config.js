import { defineConfig } from 'vite';

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic' } },
  // The client lies in a folder of its own here, whose React would be a second one.
  resolve: { dedupe: ['react'] },
  build: { target: 'es2022' },
});
