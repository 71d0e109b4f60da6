import { errorCode, ERRORS, errorMessage } from '../../lib/errors';
import type { ServiceContext } from '../../mixins/service';
import type { EmitResult } from '../../nodes/contract';
import type { ActorDeps } from '../../runtime/execution/deps';
import { MAX_DEPTH } from '../../runtime/core/decide/children';

/** Sends signals for steps. A refused signal is returned as a value. */
export const signalEmitter =
  ({ call }: Pick<ServiceContext, 'call'>): ActorDeps['emit'] =>
  async ({ id, tenantId, depth }, messageId, { executionId, signal, data }): Promise<EmitResult> => {
    const asService = { asServiceOf: tenantId };
    try {
      if (executionId !== undefined) {
        const message = { id: executionId, signal, data, message_id: messageId, by: `execution ${id}` };
        await call('executions.deliver', message, asService);
        return { kind: 'sent', started: [], refused: [] };
      }
      if (depth >= MAX_DEPTH) return tooDeep;
      const cause = { kind: 'signal', id: messageId, signal, data, execution_id: id } as const;
      return { kind: 'sent', ...(await call('workflows.react', { cause, depth: depth + 1 }, asService)) };
    } catch (fault) {
      const code = errorCode(fault);
      // The message id makes a repeated send idempotent.
      if (code === undefined) throw fault;
      return { kind: 'refused', error: { code, message: errorMessage(fault) }, retryable: ERRORS[code].retryable };
    }
  };

const tooDeep: EmitResult = {
  kind: 'refused',
  error: { code: 'too_deep', message: `Workflows start each other at most ${MAX_DEPTH} deep` },
  retryable: false,
};
