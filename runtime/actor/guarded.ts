import { EgressError } from '../../lib/egress';
import type { NodeNet } from '../../nodes/contract';

/** The way out, which asks once more when a connection stands whether it may still be used. */
export const guarded = (net: Pick<NodeNet, 'connect'>, mayBegin: () => boolean): Pick<NodeNet, 'connect'> => ({
  async connect(to) {
    const socket = await net.connect(to);
    if (mayBegin()) return socket;
    socket.destroy();
    throw new EgressError('aborted', 'the connection was aborted');
  },
});
