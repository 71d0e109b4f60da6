/** The error of a run as shown to callers without an account. */
interface PublicError {
  readonly code: 'execution_failed' | 'timed_out';
  readonly message: string;
}

/**
 * The public error of a run, for callers that know only its id or address. Omits texts of steps, providers and hosts,
 * which may name internal addresses. The tenant finds them in the run.
 */
export const publicError = ({ code }: { readonly code: string }): PublicError =>
  code === 'timed_out'
    ? { code: 'timed_out', message: 'The run took longer than it may' }
    : { code: 'execution_failed', message: 'The run failed' };
