import { SoftwareAuthenticator, type CreationOptions, type Deviations, type RequestOptions } from './authenticator';
import type { TestApp } from './app';
import { ask, type HttpAnswer } from './http';

/** Where the console of a test's installation is, unless its environment says so otherwise. */
export const ORIGIN = 'http://localhost:3000';

/** A challenge for a passkey, as the API answers it. */
export interface AskedPasskey {
  readonly challenge: string;
  readonly options: RequestOptions & { readonly allowCredentials: readonly { readonly id: string }[] };
}

/** Passkeys over HTTP. */
export const passkeysOf = (app: Pick<TestApp, 'url'>) => {
  const post = (path: string, body: object, token: string | null = null): Promise<HttpAnswer> =>
    ask(app, `POST /api/v1/auth/${path}`, { token, body });
  const asked = async (path: string, body: object, token: string | null = null): Promise<AskedPasskey> => {
    const answer = await post(path, body, token);
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body as unknown as AskedPasskey;
  };
  const enrolment = (token: string) => post('passkeys/enrolment', {}, token);
  const enrol = async (token: string, device: SoftwareAuthenticator, deviations: Deviations = {}, name?: string) => {
    const { body } = await enrolment(token);
    const passkey = device.create(body.options as CreationOptions, deviations);
    return post('passkeys', { enrolment: body.enrolment, passkey, ...(name === undefined ? {} : { name }) }, token);
  };
  return {
    post,
    asked,
    enrolment,
    enrol,
    /** A new passkey of the user of the token. */
    async add(token: string, name = 'Laptop', device = new SoftwareAuthenticator(ORIGIN)) {
      const { status, body } = await enrol(token, device, {}, name);
      if (status !== 201) throw new Error(`The passkey was refused: ${JSON.stringify(body)}`);
      const { passkey, recovery_codes } = body as { passkey: { id: string }; recovery_codes: string[] | null };
      return { device, id: passkey.id, codes: recovery_codes ?? [] };
    },
    challenge: (account: object = {}) => asked('passkey/challenge', account),
    async signIn(device: SoftwareAuthenticator, deviations: Deviations = {}, account: object = {}) {
      const { challenge, options } = await asked('passkey/challenge', account);
      return post('passkey', { challenge, passkey: device.get(options, deviations) });
    },
    list: (token: string) => ask(app, 'GET /api/v1/auth/passkeys', { token }),
    remove: (token: string, id: string) => ask(app, `DELETE /api/v1/auth/passkeys/${id}`, { token }),
  };
};
