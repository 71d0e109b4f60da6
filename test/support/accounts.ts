import { randomBytes } from 'node:crypto';
import type { Session } from '../../contracts/auth/accounts';
import type { TestApp } from './app';

interface Registration {
  tenant_slug: string;
  tenant_name: string;
  email: string;
  password: string;
}

/** The params of a registration; what is left out is valid, and the slug is new. */
export const registerInput = (given: Partial<Registration> = {}): Registration => ({
  tenant_slug: `t-${randomBytes(6).toString('hex')}`,
  tenant_name: 'Acme',
  email: 'ann@example.com',
  password: 'correct horse battery',
  ...given,
});

/** A tenant with its owner, signed in. */
export const registerTenant = (app: TestApp, given: Partial<Registration> = {}): Promise<Session> =>
  app.call('auth.register', registerInput(given));
