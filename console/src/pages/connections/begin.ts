import { api } from '../../api/client';
import { toastError } from '../../ui';

const RETURN_TO = '/connections';

interface Given {
  readonly name?: string;
  /** The connection that is connected again, under its id and name. */
  readonly connection?: string;
}

/** The address at the provider of an app at which an account is connected. Afterwards the browser comes to a page of the console. */
export const authorizeWithApp = async (id: string, given: Given = {}, returnTo = RETURN_TO): Promise<string> =>
  (await api.connections.authorize_app({ id, body: { ...given, return_to: returnTo } })).authorize_url;

/** Sends the browser to the provider of an app, which comes back to the page of connections. */
export const beginWithApp = (id: string, given: Given = {}): Promise<void> => goTo(authorizeWithApp(id, given));

export type BuiltIn = 'suite' | 'notes' | 'chat';

const START = {
  suite: api.connections.oauth_start_suite,
  notes: api.connections.oauth_start_notes,
  chat: api.connections.oauth_start_chat,
} as const;

/** The same with a provider that the operator has set up. */
export const authorizeBuiltIn = async (provider: BuiltIn, name?: string, returnTo = RETURN_TO): Promise<string> =>
  (await START[provider]({ body: { ...(name === undefined ? {} : { name }), return_to: returnTo } })).authorize_url;

export const beginBuiltIn = (provider: BuiltIn, name?: string): Promise<void> => goTo(authorizeBuiltIn(provider, name));

const goTo = (address: Promise<string>): Promise<void> => address.then((url) => location.assign(url), toastError);

export const BUILT_IN: Readonly<Record<BuiltIn, string>> = {
  suite: 'Google Workspace',
  notes: 'Notion',
  chat: 'Slack',
};

export const isBuiltIn = (connector: string): connector is BuiltIn => Object.hasOwn(BUILT_IN, connector);
