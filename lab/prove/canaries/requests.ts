/**
 * Random requests for every operation, made from its shapes: valid and invalid ones, with secrets in correct and
 * incorrect positions: query strings, unknown members, fields of another type, paths, cookies and other headers. Texts
 * that the service stores unchanged contain no secret: records, log messages, names. Where an error quotes an invalid
 * setting, number or name to its sender, the secret has the form of a token.
 */
import type { Random } from '../../machine/random.ts';
import { madeUp } from './marks.ts';

/** Shared by requests of clients and of the administration. */
export interface Described {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly query: object;
  readonly body: object | null;
}

export interface Wanted {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Currently known values, to be sent in their positions. */
export interface Known {
  /** Valid values by the name of a field or parameter. */
  readonly values: Readonly<Record<string, readonly string[]>>;
  /** Tokens of users, the newest last. */
  readonly userTokens: readonly string[];
  /** Of nobody yet. */
  readonly anonymousTokens: readonly string[];
  readonly cookies: readonly string[];
  readonly csrfTokens: readonly string[];
}

interface Shape {
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
}

/** All other writing operations store texts of the client. */
const keepsNothing = new Set([
  ...['login', 'localLogin', 'refresh', 'logout', 'setUp', 'signIn', 'changeOwnPassword'],
  ...['structuredQuery', 'expressionQuery'],
]);

export class Requests {
  readonly #random: Random;
  readonly #known: () => Known;
  /** Errors of sign-in quote nothing, so a secret of any form may be in any field. */
  #misplaced: 'text' | 'token' = 'token';

  constructor(random: Random, known: () => Known) {
    this.#random = random;
    this.#known = known;
  }

  /** @param prefix of the operation's path */
  of(operation: Described, prefix: string): Wanted {
    const random = this.#random;
    const { method, name: operationName, tag } = operation;
    this.#misplaced = tag === 'sign-in' ? random.pick(['text', 'token']) : 'token';
    // A device identifier is chosen by the client, and stored.
    const misplaces = (method === 'GET' && operationName !== 'anonymousToken') || keepsNothing.has(operationName);
    const changes = method === 'PUT' || method === 'DELETE';
    const path = `${prefix}${operation.path}`.replaceAll(/:(\w+)/g, (_, name: string) =>
      encodeURIComponent(random.chance(0.05) ? madeUp('token') : changes ? this.#victim(name) : this.#valueOf(name)),
    );
    const query = this.#query(operation.query as Shape, misplaces);
    const body = operation.body === null ? this.#noBody(operation) : this.#body(operation.body as Shape, misplaces);
    return { method: operation.method, path: `${path}${query}`, headers: this.#headers(body), body };
  }

  #query(shape: Shape, misplaces: boolean): string {
    const random = this.#random;
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(this.#object(shape, misplaces))) parameters.append(name, String(value));
    if (random.chance(0.15)) parameters.append(random.pick(secretNames), this.#secret('token'));
    if (random.chance(0.05)) parameters.append(madeUp('token'), 'x');
    return parameters.size === 0 ? '' : `?${parameters}`;
  }

  #noBody({ method }: Described): string | undefined {
    return method !== 'GET' && this.#random.chance(0.1) ? JSON.stringify({ token: this.#secret('token') }) : undefined;
  }

  #body(shape: Shape, misplaces: boolean): string | undefined {
    const random = this.#random;
    if (random.chance(0.02)) return undefined;
    const text = JSON.stringify(this.#object(shape, misplaces));
    if (random.chance(0.03)) return text.slice(0, random.below(text.length));
    return random.chance(0.02) ? JSON.stringify(madeUp('token')) : text;
  }

  #headers(body: string | undefined): Record<string, string> {
    const random = this.#random;
    const known = this.#known();
    const headers: Record<string, string> = {};
    const some = (probability: number, name: string, value: () => string) => {
      if (random.chance(probability)) headers[name] = value();
    };
    const right = (values: readonly string[]) =>
      values.length > 0 && random.chance(0.9) ? random.pick(values) : madeUp('token');
    some(0.95, 'service-token', () => right(random.chance(0.85) ? known.userTokens : known.anonymousTokens));
    some(0.9, 'cookie', () => `rowhouse_admin=${right(known.cookies)}`);
    some(0.9, 'x-csrf-token', () => right(known.csrfTokens));
    some(0.1, 'authorization', () => `Bearer ${this.#secret('token')}`);
    some(0.1, 'x-api-key', () => madeUp('text'));
    some(0.05, 'user-agent', () => madeUp('text'));
    some(0.05, 'referer', () => `https://example.com/?code=${madeUp('text')}`);
    some(0.03, 'x-forwarded-for', () => madeUp('text'));
    some(0.02, 'origin', () => `https://${madeUp('text')}.example.com`);
    some(0.03, 'accept', () => 'application/json');
    if (body !== undefined) {
      headers['content-type'] = random.chance(0.98) ? 'application/json' : `text/${madeUp('token')}`;
    }
    return headers;
  }

  #value(name: string, shape: Shape, misplaces: boolean): unknown {
    const random = this.#random;
    if (shape.anyOf !== undefined) return this.#value(name, random.pick(shape.anyOf), misplaces);
    if (shape.format === 'password') return random.chance(0.05) ? { [name]: madeUp('text') } : this.#secretFor(name);
    switch (shape.type) {
      case 'object':
        return this.#object(shape, misplaces);
      case 'array':
        if (random.chance(0.02)) return madeUp('token');
        return Array.from({ length: random.below(3) }, () => this.#value(name, shape.items ?? {}, misplaces));
      case 'string':
        return misplaces && random.chance(0.08) ? this.#secret(this.#misplaced) : this.#valueOf(name);
      case 'boolean':
        return random.chance(0.04) ? this.#secret(this.#misplaced) : random.chance(0.5);
      case 'integer':
      case 'number':
        return random.chance(0.04)
          ? this.#secret(this.#misplaced)
          : Number(this.#known().values[name]?.[0] ?? random.below(40));
      case 'null':
        return null;
      default:
        return random.pick(['text', 7, null, true]);
    }
  }

  #object({ properties = {}, required = [] }: Shape, misplaces: boolean): Record<string, unknown> {
    const random = this.#random;
    const value: Record<string, unknown> = {};
    for (const [name, shape] of Object.entries(properties)) {
      if (random.chance(required.includes(name) ? 0.97 : 0.4)) value[name] = this.#value(name, shape, misplaces);
    }
    if (random.chance(0.1)) value[random.pick(secretNames)] = this.#secret('text');
    if (random.chance(0.03)) value[madeUp('token')] = 1;
    return value;
  }

  /** An object that may be changed or removed, because the proof does not need it. */
  #victim(name: string): string {
    if (name === 'companyId') return '2';
    return /id$/i.test(name) && name !== 'appId' ? String(2 + this.#random.below(40)) : this.#valueOf(name);
  }

  #valueOf(name: string): string {
    const right = this.#known().values[name];
    if (right !== undefined && !isSecret(name) && this.#random.chance(0.95)) return this.#random.pick(right);
    return this.#random.pick(['1', '20', 'text', 'x y', 'DemoNote', '']);
  }

  #secretFor(name: string): string {
    const right = this.#known().values[name] ?? [];
    return right.length > 0 && this.#random.chance(0.8) ? this.#random.pick(right) : this.#secret('text');
  }

  /** A secret that is in use, or an unused one. */
  #secret(form: 'text' | 'token'): string {
    const { userTokens } = this.#known();
    const isRight = form === 'token' && userTokens.length > 0 && this.#random.chance(0.3);
    return isRight ? this.#random.pick(userTokens) : madeUp(form);
  }
}

const secretNames = [
  ...['token', 'password', 'appKey', 'authToken', 'authzCode', 'code', 'code_verifier', 'client_secret', 'secret'],
  ...['refresh_token', 'id_token', 'access_token', 'cookie', 'service-token', 'userTokens', 'deviceToken'],
];

function isSecret(name: string): boolean {
  return secretNames.includes(name);
}
