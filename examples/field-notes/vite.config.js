import { defineConfig } from 'vite';

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic' } },
  // The client is in a separate folder here, whose React would be a second copy.
  resolve: { dedupe: ['react'] },
  build: { target: 'es2022' },
});
