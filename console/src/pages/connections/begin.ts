import { api } from '../../api/client';
import { toastError } from '../../ui';

const RETURN_TO = '/connections';

/** Sends the browser to the provider of an app, which comes back to this page. With `connection` under its id and name. */
export async function beginWithApp(id: string, given: { name?: string; connection?: string } = {}): Promise<void> {
  try {
    const { authorize_url } = await api.connections.authorize_app({ id, body: { ...given, return_to: RETURN_TO } });
    location.assign(authorize_url);
  } catch (error) {
    toastError(error);
  }
}

export type BuiltIn = 'suite' | 'notes' | 'chat';

const START = {
  suite: api.connections.oauth_start_suite,
  notes: api.connections.oauth_start_notes,
  chat: api.connections.oauth_start_chat,
} as const;

/** The same with a provider that the operator has set up. */
export async function beginBuiltIn(provider: BuiltIn, name?: string): Promise<void> {
  try {
    const body = { ...(name === undefined ? {} : { name }), return_to: RETURN_TO };
    const { authorize_url } = await START[provider]({ body });
    location.assign(authorize_url);
  } catch (error) {
    toastError(error);
  }
}

export const BUILT_IN: Readonly<Record<BuiltIn, string>> = {
  suite: 'Google Workspace',
  notes: 'Notion',
  chat: 'Slack',
};

export const isBuiltIn = (connector: string): connector is BuiltIn => Object.hasOwn(BUILT_IN, connector);
