import { AppError } from '../../lib/errors';

/** What is asked for needs settings that this installation does not have. */
export const notConfigured = (...variables: string[]): AppError =>
  new AppError(
    'provider_not_configured',
    `Billing is not configured here; the operator has to set ${variables.join(' and ')}`,
  );
