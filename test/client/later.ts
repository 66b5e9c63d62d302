/** `Promise.withResolvers`, which Node 20 lacks. */

export interface Later<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
}

export function later<T = void>(): Later<T> {
  let resolve: Later<T>['resolve'] | undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve: (value) => resolve?.(value) };
}
