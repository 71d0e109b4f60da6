import { api } from '../api/client';
import { toast, toastError } from '../ui';
import { landing } from './landing';
import { queryClient } from './queries';

let pending = landing?.kind === 'claim' ? landing.code : null;

/** Claims the account that the user connected before the sign-in, once; nothing where there is none. */
export async function claimConnection(): Promise<void> {
  const code = pending;
  if (code === null) return;
  pending = null;
  try {
    const { name } = await api.connections.claim({ body: { code } });
    toast(`${name} is connected`);
    await queryClient.invalidateQueries({ queryKey: ['connections'] });
  } catch (error) {
    toastError(error);
  }
}
