import { errorCode, ERRORS, errorMessage } from '../../lib/errors';
import type { ServiceContext } from '../../mixins/service';
import type { Emitted } from '../../nodes/contract';
import type { ActorDeps } from '../../runtime/actor/deps';
import { DEEPEST } from '../../runtime/rules/children';

/** Sends signals for steps. What surely cannot be sent is refused in words. */
export const signalEmitter =
  ({ call }: Pick<ServiceContext, 'call'>): ActorDeps['emit'] =>
  async ({ id, tenantId, depth }, messageId, { executionId, signal, data }): Promise<Emitted> => {
    const asService = { asServiceOf: tenantId };
    try {
      if (executionId !== undefined) {
        const message = { id: executionId, signal, data, message_id: messageId, by: `execution ${id}` };
        await call('executions.deliver', message, asService);
        return { kind: 'sent', started: [], refused: [] };
      }
      if (depth >= DEEPEST) return tooDeep;
      const cause = { kind: 'signal', id: messageId, signal, data, execution_id: id } as const;
      return { kind: 'sent', ...(await call('workflows.react', { cause, depth: depth + 1 }, asService)) };
    } catch (fault) {
      const code = errorCode(fault);
      // Sending it again changes nothing where it has arrived.
      if (code === undefined) throw fault;
      return { kind: 'refused', error: { code, message: errorMessage(fault) }, retryable: ERRORS[code].retryable };
    }
  };

const tooDeep: Emitted = {
  kind: 'refused',
  error: { code: 'too_deep', message: `Workflows start each other at most ${DEEPEST} deep` },
  retryable: false,
};
