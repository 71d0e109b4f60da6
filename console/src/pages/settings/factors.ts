import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';
import { queryClient } from '../../app/queries';

/** The second factors of the user, and what the installation offers. */
export const factorsQuery = queryOptions({
  queryKey: ['me', 'factors'],
  queryFn: async ({ signal }) => {
    const { second_factor, sign_in_methods } = await api.auth.account({}, { signal });
    return { ...second_factor, offersPasskeys: sign_in_methods.passkey };
  },
});

export const passkeysQuery = queryOptions({
  queryKey: ['me', 'passkeys'],
  queryFn: async ({ signal }) => (await api.auth.list_passkeys({}, { signal })).data,
});

/** After a change of second factors. */
export const reloadFactors = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['me'] });
