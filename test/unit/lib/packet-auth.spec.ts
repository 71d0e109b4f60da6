import type { BusPacket } from '../../../lib/bus/hooks';
import { PacketAuth, ReplayWindow } from '../../../lib/bus/packet-auth';

const KEY = Buffer.alloc(32, 1);
const OLD = Buffer.alloc(32, 2);

function node(nodeId: string, clock: { now: number }, keys: [Buffer, ...Buffer[]] = [KEY]): PacketAuth {
  return new PacketAuth(
    keys,
    () => ({ nodeId, instanceId: `life of ${nodeId}` }),
    () => clock.now,
  );
}

/** A packet as it arrives. */
function sent(by: PacketAuth, sender: string, target?: string): BusPacket['payload'] {
  const packet = { type: 'EVENT', target, payload: { event: 'a', data: { text: 'x' } } } as unknown as BusPacket;
  by.sign(packet);
  return { ...(JSON.parse(JSON.stringify(packet.payload)) as object), ver: '5', sender } as BusPacket['payload'];
}

describe('a packet of a node', () => {
  const clock = { now: 1_000_000 };
  const near = node('near', clock);

  test('is accepted once, by its target node', () => {
    const far = node('far', clock);
    const payload = sent(far, 'far', 'near');
    expect(node('other', clock).accepts('EVENT', payload)).toBe(false);
    expect(near.accepts('EVENT', payload)).toBe(true);
    expect(near.accepts('EVENT', payload)).toBe(false);
  });

  test.each<[string, (payload: Record<string, unknown>) => object]>([
    ['another content', (payload) => ({ ...payload, data: { text: 'y' } })],
    ['another sender', (payload) => ({ ...payload, sender: 'near' })],
    ['another number', (payload) => ({ ...payload, auth: { ...(payload.auth as object), seq: 99 } })],
    ['another receiver', (payload) => ({ ...payload, auth: { ...(payload.auth as object), to: null } })],
    ['no proof', (payload) => ({ ...payload, auth: undefined })],
    ['a proof that is none', (payload) => ({ ...payload, auth: { seq: 'x' } })],
  ])('with %s is not', (_, change) => {
    const payload = sent(node('far', clock), 'far', 'near');
    const forged = change(payload as unknown as Record<string, unknown>) as BusPacket['payload'];
    expect(near.accepts('EVENT', forged)).toBe(false);
  });

  test('of another kind, an expired one, or one with an unknown key is not', () => {
    expect(near.accepts('INFO', sent(node('far', clock), 'far'))).toBe(false);
    expect(near.accepts('EVENT', sent(node('far', { now: clock.now - 60_001 }), 'far'))).toBe(false);
    expect(near.accepts('EVENT', sent(node('far', clock, [OLD]), 'far'))).toBe(false);
    expect(node('near', clock, [KEY, OLD]).accepts('EVENT', sent(node('far', clock, [OLD]), 'far'))).toBe(true);
  });
});

test('numbers may arrive in any order, each once', () => {
  const window = new ReplayWindow();
  expect([1, 5, 3, 5, 3, 2, 10_000, 9_000, 9_000, 4].map((seq) => window.admits(seq))).toEqual([
    true,
    true,
    true,
    false,
    false,
    true,
    true,
    true,
    false,
    false,
  ]);
});
