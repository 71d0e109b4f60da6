import { useMe } from './queries';

/** Whether the user may do what admins and owners may; false until it is known. */
export function useIsAdmin(): boolean {
  const role = useMe().data?.role;
  return role === 'admin' || role === 'owner';
}
