/** An error, in words for the user. */
import { NetworkError } from '@rowhouse/client';

export function Problem({ error }: { readonly error: unknown }) {
  if (error === null) return null;
  return (
    <p role="alert">{error instanceof NetworkError ? 'The service can’t be reached.' : (error as Error).message}</p>
  );
}
