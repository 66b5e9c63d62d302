interface ImportMeta {
  /** Set by Vite. */
  readonly env: { readonly VITE_SERVICE?: string };
}

declare module '*.css';
