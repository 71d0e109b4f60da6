import { AppError } from '../../../lib/errors';

/** A challenge or an enrolment that is not valid: unknown, expired, used, or of another user. */
export const tooLate = (): AppError =>
  new AppError('sign_in_failed', 'This took too long, was finished before, or was ended meanwhile; begin again');

/** A removal that would leave an account without the second factor that its tenant requires. */
export const lastFactor = (): AppError =>
  new AppError(
    'conflict',
    'This workspace requires a second factor, and it is the only one of this account; add another passkey or an authenticator app first',
  );
