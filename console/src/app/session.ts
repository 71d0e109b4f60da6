import { useSyncExternalStore } from 'react';
import { type SessionMessage, SessionStore } from '../model/session-store';

const KEY = 'everstep.token';
const channel = new BroadcastChannel('everstep.session');

/** The session of this tab. */
export const session = new SessionStore({
  read: () => sessionStorage.getItem(KEY),
  write: (token) => (token === null ? sessionStorage.removeItem(KEY) : sessionStorage.setItem(KEY, token)),
  post: (message) => channel.postMessage(message),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
});
channel.addEventListener('message', (event: MessageEvent<SessionMessage>) => session.receive(event.data));

export const useSession = () => useSyncExternalStore(session.subscribe, session.get);
