import { ServiceBroker } from 'moleculer';
import type { ActionName, ParamsOf, ResultOf } from '../../../contracts/catalogue';
import type { EventData } from '../../../contracts/events';

/** A program of an integrator: Moleculer as it is, over NATS. */
export interface Integrator {
  readonly broker: ServiceBroker;
  /** All `execution.changed` that have come. */
  readonly changes: EventData<'execution.changed'>[];
  /** With the token that the program was made with, unless another one is given; null: without one. */
  call<A extends ActionName>(
    action: A,
    params: ParamsOf<A>,
    options?: { token?: string | null; timeout?: number },
  ): Promise<ResultOf<A>>;
  stop(): Promise<void>;
}

interface IntegratorOptions {
  readonly url: string;
  readonly namespace: string;
  readonly nodeId: string;
  readonly token: string;
  /** Services to be waited for. */
  readonly services: readonly string[];
}

export async function startIntegrator({
  url,
  namespace,
  nodeId,
  token: own,
  services,
}: IntegratorOptions): Promise<Integrator> {
  const changes: EventData<'execution.changed'>[] = [];
  const broker = new ServiceBroker({
    namespace,
    nodeID: nodeId,
    transporter: { type: 'NATS', options: { servers: url } },
    heartbeatInterval: 2,
    heartbeatTimeout: 5,
    requestTimeout: 20_000,
    logger: false,
    skipProcessEventRegistration: true,
    transit: { serviceChangedDebounceTime: 10 },
  } as object);
  broker.createService({
    name: 'changes',
    events: {
      'execution.changed': ({ params }: { params: EventData<'execution.changed'> }) => void changes.push(params),
    },
  });
  await broker.start();
  await broker.waitForServices([...services], 10_000, 20);
  return {
    broker,
    changes,
    call: (action, params, { token = own, timeout = 20_000 } = {}) =>
      broker.call(action, params, { timeout, meta: token === null ? {} : { token } }) as Promise<never>,
    stop: () => broker.stop(),
  };
}
