import { type Landing, readLanding } from '../model/landing';
import { session } from './session';

/** Takes what a redirect has brought out of the address at once, so that no token stays in it or in the history. */
function takeLanding(): Landing | null {
  const found = readLanding(location.hash);
  if (found === null) return null;
  history.replaceState(history.state, '', location.pathname + location.search);
  if (found.kind === 'token') session.signIn(found.token);
  return found;
}

/** Of this load of the page. */
export const landing = takeLanding();
