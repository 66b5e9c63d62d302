/** 198: every field that the interface requires is there, and of a sensible length (docs/reference/operations.md#login). */
import type { Refuse } from '../../chain.ts';
import type { LoginDeps, LoginInput, LoginRequest } from '../login.ts';

export interface LoginFields {
  /** As text, whatever its form in the request. */
  readonly companyId: string;
  readonly appId: string;
  readonly appVersion: string;
  readonly authToken: string;
  readonly deviceUDID: string;
  readonly isPush: boolean;
  readonly clientId: string;
  readonly authzCode: string;
  readonly authnState: string;
}

/** The codes of some providers have two thousand characters. */
const fieldLengthMax = 8_192;

export function allFields(
  _deps: LoginDeps,
  { request }: { readonly request: LoginRequest },
  refuse: Refuse,
): { readonly fields: LoginFields } {
  const { body } = request;
  const required = (field: Exclude<keyof LoginInput, 'iss'>): string => {
    const value = body[field];
    if (value === undefined || value === '') throw refuse(`${field}: expected a value, got none.`);
    const text = String(value);
    if (text.length > fieldLengthMax) {
      throw refuse(`${field}: expected at most ${fieldLengthMax} characters, got ${text.length}.`);
    }
    return text;
  };
  const fields = {
    companyId: required('companyId'),
    appId: required('appId'),
    appVersion: required('appVersion'),
    authToken: required('authToken'),
    deviceUDID: required('deviceUDID'),
    isPush: required('isPush').toLowerCase() === 'true',
    clientId: required('clientId'),
    authzCode: required('authzCode'),
    authnState: required('authnState'),
  };
  return { fields };
}
