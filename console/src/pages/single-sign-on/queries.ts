import { queryOptions } from '@tanstack/react-query';
import { api, EverstepError, type SsoConfigView } from '../../api/client';

const MAX_ROWS = 200;
const WHILE_OPEN_MS = 1_500;

const unlessMissing = async <T>(found: Promise<T>): Promise<T | null> => {
  try {
    return await found;
  } catch (error) {
    if (error instanceof EverstepError && error.code === 'not_found') return null;
    throw error;
  }
};

/** The settings; null where there are none yet. */
export const ssoQuery = queryOptions({
  queryKey: ['single-sign-on', 'settings'],
  queryFn: ({ signal }): Promise<SsoConfigView | null> => unlessMissing(api.auth.sso_config({}, { signal })),
});

/** A test, asked for until it is finished; null where it is no longer there, or another owner's. */
export const ssoTestQuery = (id: string) =>
  queryOptions({
    queryKey: ['single-sign-on', 'test', id],
    queryFn: ({ signal }) => unlessMissing(api.auth.sso_test({ id }, { signal })),
    refetchInterval: ({ state: { data } }) =>
      data?.state === 'waiting' || data?.state === 'begun' ? WHILE_OPEN_MS : false,
    refetchIntervalInBackground: true,
  });

/** The keys with which identity providers provision users. */
export const scimKeysQuery = queryOptions({
  queryKey: ['keys', 'scim'],
  queryFn: async ({ signal }) =>
    (await api.auth.list_api_keys({ limit: MAX_ROWS }, { signal })).data.filter(({ scope }) => scope === 'scim'),
});

const ACCOUNT_NAME = 'scim';

/** Makes a key for a service account, so that it stays when people leave. */
export async function makeScimKey(name: string): Promise<string> {
  const members = await api.auth.members({ limit: MAX_ROWS });
  const known = members.data.find(({ email, role }) => email === `service:${ACCOUNT_NAME}` && role === 'admin');
  const account = known ?? (await api.auth.create_service_account({ body: { name: ACCOUNT_NAME, role: 'admin' } }));
  const body = { name, scope: 'scim', service_account_id: account.id } as const;
  return (await api.auth.create_api_key({ body })).key;
}
