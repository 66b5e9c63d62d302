/** On platforms other than Node: calls to the process that started the tests (`../control.ts`), and reports to it. */

/** The address of that process, without a slash at the end; esbuild defines it. */
declare const controlUrl: string;

/** The result of a test. */
export interface Report {
  readonly file: string;
  readonly name: string;
  /** Null for a test that passed. */
  readonly failed: { readonly message: string; readonly stack: string } | null;
}

export type Reply = { readonly answer: unknown } | { readonly failed: string };

/** The function of `service.ts` of this name, which runs in that process. */
export const remote =
  (name: string) =>
  async (...input: unknown[]): Promise<unknown> => {
    const reply = (await post('/call', { name, input })) as Reply;
    if ('failed' in reply) throw new Error(reply.failed);
    return reply.answer;
  };

export const report = (done: Report): Promise<unknown> => post('/report', done);

/** Reports that all tests have been run. */
export const end = (): Promise<unknown> => post('/end', null);

async function post(path: string, content: unknown): Promise<unknown> {
  const response = await fetch(controlUrl + path, { method: 'POST', body: JSON.stringify(content) });
  return response.json();
}
