import { type SessionMessage, SessionStore } from '../../../console/src/model/session-store';

/** Tabs of one browser, whose messages reach all others at once. */
function tabs(count: number, stored: (string | null)[] = []) {
  const stores: SessionStore[] = [];
  const storage = Array.from({ length: count }, (_, tab) => stored[tab] ?? null);
  for (let tab = 0; tab < count; tab++) {
    stores.push(
      new SessionStore({
        read: () => storage[tab] ?? null,
        write: (token) => void (storage[tab] = token),
        post: (message: SessionMessage) => stores.forEach((other, at) => at !== tab && other.receive(message)),
        wait: () => Promise.resolve(),
      }),
    );
  }
  return { stores: stores as [SessionStore, SessionStore], storage };
}

test('a new tab takes the token of another one', async () => {
  const { stores, storage } = tabs(2, ['t1']);
  expect(await stores[1].restore()).toBe(true);
  expect([stores[1].token, storage]).toEqual(['t1', ['t1', 't1']]);
});

test('without another tab there is no session', async () => {
  const { stores } = tabs(1);
  expect(await stores[0].restore()).toBe(false);
});

test('signing out ends the session of every tab', () => {
  const { stores, storage } = tabs(2, ['t1', 't1']);
  stores[0].signOut();
  expect([stores[1].token, storage]).toEqual([null, [null, null]]);
});

test('requests with an ended token wait for the new one, and those with an older one get it at once', async () => {
  const { stores } = tabs(1, ['old']);
  const waiting = [stores[0].renew('old'), stores[0].renew('old')];
  expect(stores[0].get()).toEqual({ token: 'old', expired: true });
  stores[0].signIn('new');
  expect(await Promise.all(waiting)).toEqual(['new', 'new']);
  expect(await stores[0].renew('old')).toBe('new');
  expect(stores[0].get().expired).toBe(false);
});

test('a sign-in in one tab renews the ended session of the others', async () => {
  const { stores } = tabs(2, ['old', 'old']);
  const waiting = stores[1].renew('old');
  stores[0].signIn('new');
  expect(await waiting).toBe('new');
});

test('a tab keeps its own session when another user signs in elsewhere', () => {
  const { stores } = tabs(2, ['ada', null]);
  stores[1].signIn('grace');
  expect(stores[0].token).toBe('ada');
});

test('a tab whose session has ended offers its token to no other', async () => {
  const { stores } = tabs(2, ['old']);
  void stores[0].renew('old');
  expect(await stores[1].restore()).toBe(false);
});

test('requests that wait are given up when the user signs out', async () => {
  const { stores } = tabs(1, ['old']);
  const waiting = stores[0].renew('old');
  stores[0].signOut();
  expect(await waiting).toBeNull();
});
