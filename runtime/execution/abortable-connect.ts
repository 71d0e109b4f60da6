import type { Clients } from '../../lib/client-pool';
import { EgressError } from '../../lib/egress';
import type { NodeNet } from '../../nodes/contract';

const aborted = (): EgressError => new EgressError('aborted', 'the connection was aborted');

/** Checks `mayBegin` once more when a connection is established, as the attempt may have been aborted meanwhile. */
export const abortableConnect = (net: NodeNet, mayBegin: () => boolean): NodeNet => ({
  async connect(to) {
    const socket = await net.connect(to);
    if (mayBegin()) return socket;
    socket.destroy();
    throw aborted();
  },
  ...(net.clients === undefined ? {} : { clients: guardedClients(net.clients, mayBegin) }),
});

const guardedClients = (clients: Clients, mayBegin: () => boolean): Clients => ({
  use: (use) =>
    clients.use({
      ...use,
      async begin(client) {
        await use.begin(client);
        if (!mayBegin()) throw aborted();
      },
    }),
});
