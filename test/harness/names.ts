/**
 * Named values of a scenario (`{{anonymous}}`, `{{time.first}}`), and their insertion into cases that are plain data.
 */

export type Names = Map<string, string>;

/** The same value with every `{{name}}` of its strings replaced; RegExps, buffers and symbols pass through. */
export function filled<Value>(value: Value, names: Names): Value {
  return fill(value, names) as Value;
}

function fill(value: unknown, names: Names): unknown {
  if (typeof value === 'string') return fillText(value, names);
  if (Array.isArray(value)) return value.map((item) => fill(item, names));
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof RegExp || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, names)]));
}

function fillText(text: string, names: Names): string {
  return text.replaceAll(/\{\{([\w.-]+)\}\}/g, (_whole, name: string) => {
    const value = names.get(name);
    if (value === undefined) throw new Error(`The case uses {{${name}}}, which no earlier case kept.`);
    return value;
  });
}
