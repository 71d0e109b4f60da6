import { Turnstile } from '../../../services/ai/turnstile';

const T0 = Date.UTC(2030, 0, 1);
const nothing = async (): Promise<void> => {};
const never = (): Promise<never> => new Promise(() => {});
const refused = (seconds: number) => ({ type: 'rate_limited', data: { retry_after: seconds } });

test('five of one tenant may be inside at a time, and others come in all the same', async () => {
  const turnstile = new Turnstile();
  for (let n = 0; n < 5; n++) void turnstile.pass('a', T0, never);
  await expect(turnstile.pass('a', T0, nothing)).rejects.toMatchObject(refused(1));
  await turnstile.pass('b', T0, nothing);
});

test('who leaves makes room, also by a failure', async () => {
  const turnstile = new Turnstile();
  for (let n = 0; n < 6; n++) {
    await expect(turnstile.pass('a', T0, () => Promise.reject(new Error('x')))).rejects.toThrow('x');
  }
});

test('sixty may come in a minute; then there is a new one', async () => {
  const turnstile = new Turnstile();
  for (let n = 0; n < 60; n++) await turnstile.pass('a', T0, nothing);
  await expect(turnstile.pass('a', T0 + 20_000, nothing)).rejects.toMatchObject(refused(40));
  await turnstile.pass('a', T0 + 60_000, nothing);
});

test('who is inside counts in the next minute too', async () => {
  const turnstile = new Turnstile();
  for (let n = 0; n < 5; n++) void turnstile.pass('a', T0, never);
  await expect(turnstile.pass('a', T0 + 60_000, nothing)).rejects.toMatchObject(refused(1));
});
