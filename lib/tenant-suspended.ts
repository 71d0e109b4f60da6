import { AppError } from './errors';

/** The answer to starts and changes in a suspended tenant. Its members read the reason elsewhere: callers of webhooks get this, too. */
export const tenantSuspended = (): AppError =>
  new AppError(
    'tenant_suspended',
    'This workspace is suspended: it can be read, but nothing in it is started or changed until an operator of the installation reopens it',
  );
