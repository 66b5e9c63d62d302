/**
 * How a request is to be handled (RFC 7240): `Prefer: handling=strict` refuses what would otherwise be ignored, and
 * `handling=lenient` does the opposite where the application version is strict by default.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';

export type Handling = 'strict' | 'lenient';

/**
 * Whether the request is handled strictly; the answer says which preference was applied. A request without the header
 * costs two property reads.
 */
export function isStrict(
  { headers, caller }: Pick<FastifyRequest, 'headers' | 'caller'>,
  reply: FastifyReply,
): boolean {
  const byDefault = caller?.strictHandling ?? false;
  const { prefer } = headers;
  if (prefer === undefined) return byDefault;
  const handling = preferredHandling(String(prefer));
  if (handling === undefined) return byDefault;
  reply.header('preference-applied', `handling=${handling}`);
  return handling === 'strict';
}

/** A token (RFC 9110 §5.6.2) or a quoted string at this position. */
const word = /[!#$%&'*+\-.^_`|~\w]+|"((?:[^"\\]|\\.)*)"/y;

/**
 * The value of the preference `handling` in a list of preferences, several headers joined by commas; undefined when
 * absent or unknown. The first one counts. Parsing stops at the first syntax error. One pass; the limit on the head
 * bounds the header's size.
 */
export function preferredHandling(header: string): Handling | undefined {
  let at = 0;
  const next = (): string | undefined => {
    word.lastIndex = at;
    const found = word.exec(header);
    if (found === null) return undefined;
    at = word.lastIndex;
    return found[1]?.replaceAll(/\\(.)/g, '$1') ?? found[0];
  };
  const skip = (characters: string) => {
    while (at < header.length && characters.includes(header[at] as string)) at++;
  };
  /** `name`, or `name=value` with optional spaces around the equals sign. */
  const pair = (): readonly [name: string, value: string] | undefined => {
    const name = next();
    if (name === undefined) return undefined;
    skip(' \t');
    if (header[at] !== '=') return [name, ''];
    at++;
    skip(' \t');
    return [name, next() ?? ''];
  };
  while (at < header.length) {
    skip(', \t');
    const preference = pair();
    if (preference === undefined) return undefined;
    skip(' \t');
    while (header[at] === ';') {
      at++;
      skip(' \t');
      // Parameters of a preference do not affect the handling.
      if (header[at] !== ';' && header[at] !== ',') pair();
      skip(' \t');
    }
    const [name, value] = preference;
    if (name.toLowerCase() === 'handling') return handlingOf(value);
    if (at < header.length && header[at] !== ',') return undefined;
  }
  return undefined;
}

function handlingOf(value: string): Handling | undefined {
  const lower = value.toLowerCase();
  return lower === 'strict' || lower === 'lenient' ? lower : undefined;
}

/** Whether the client would rather have an answer at once than wait for the result (RFC 7240 §4.1). */
export function respondsAsync(header: string | readonly string[] | undefined): boolean {
  return header !== undefined && /(?:^|[,;\s])respond-async(?:$|[,;\s])/i.test(String(header));
}
