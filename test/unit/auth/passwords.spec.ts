import { Passwords } from '../../../services/auth/passwords';

test('registrations do not delay logins', async () => {
  const passwords = new Passwords();
  const registering = Array.from({ length: 110 }, () => passwords.hash('a long password'));
  const signingIn = passwords.verify('a long password', null);
  const outcomes = await Promise.allSettled(registering);
  const refused = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  expect(refused).toHaveLength(8);
  expect(refused[0]).toMatchObject({ type: 'unavailable', data: { retry_after: 1 } });
  await expect(signingIn).resolves.toBe(false);
});
