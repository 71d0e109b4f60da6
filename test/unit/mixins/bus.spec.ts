import { Errors } from 'moleculer';
import { AppError } from '../../../lib/errors';
import { busOptions } from '../../../mixins/bus';
import { silentNodes } from '../../../mixins/bus/discoverer';
import { packetFault } from '../../../mixins/bus/packets';
import { parcelOf } from '../../../mixins/bus/parcels';
import { readSlip } from '../../../mixins/bus/parcel-post';
import { judge, type Verdict } from '../../../mixins/bus/repeat';

describe('what a failed call comes to', () => {
  const about = (action: string) => ({ action, nodeID: 'n' });
  const cases: [string, unknown, Verdict, Verdict][] = [
    ['nobody has such an action', new Errors.ServiceNotFoundError(about('a.b')), 'repeat', 'repeat'],
    ['the node takes nothing any more', new Errors.ServiceNotAvailableError(about('a.b')), 'repeat', 'repeat'],
    ['there is no connection', new Errors.BrokerDisconnectedError('lost'), 'repeat', 'repeat'],
    ['the node went away with it', new Errors.RequestRejectedError(about('a.b')), 'repeat', 'cut_off'],
    ['it took too long', new Errors.RequestTimeoutError(about('a.b')), 'timed_out', 'timed_out'],
    ['a call that the callee made found nobody', new Errors.ServiceNotFoundError(about('c.d')), 'pass', 'pass'],
    ['a call that the callee made was cut off', new Errors.RequestRejectedError(about('c.d')), 'pass', 'pass'],
    ['the callee refused', new AppError('unavailable', 'Not now'), 'pass', 'pass'],
    ['something else was thrown', 'words', 'pass', 'pass'],
  ];

  test.each(cases)('%s', (_, fault, repeatable, once) => {
    expect([judge(fault, 'a.b', true), judge(fault, 'a.b', false)]).toEqual([repeatable, once]);
  });
});

test('nodes are silent that were last heard of longer ago than the limit', () => {
  const heardAt = new Map([
    ['old', 1_000],
    ['edge', 1_500],
    ['new', 3_000],
  ]);
  expect(silentNodes(heardAt, 4_000, 2_500)).toEqual(['old']);
});

describe('packets', () => {
  const packet = { sender: 'host.example-1', id: 'i', action: 'a.b', params: {}, meta: {}, stream: false, level: 1 };

  test.each([
    ['REQ', packet],
    ['REQ', { ...packet, parentID: null, caller: null, timeout: 5, headers: {} }],
    ['RES', { sender: 'a', id: 'i', success: true, data: null, meta: {} }],
    ['EVENT', { sender: 'a', id: 'i', event: 'x', data: 1, groups: ['g'], broadcast: true, parentID: null }],
    [
      'INFO',
      { sender: 'a', instanceID: 'i', services: [{ name: 's', actions: { 's.a': { name: 's.a' } }, events: {} }] },
    ],
    ['HEARTBEAT', { sender: 'a', cpu: null }],
  ])('a %s as Moleculer sends it passes', (kind, payload) => {
    expect(packetFault(kind, payload)).toBeNull();
  });

  test.each([
    ['REQ', null],
    ['REQ', []],
    ['REQ', { ...packet, sender: undefined }],
    ['REQ', { ...packet, sender: 'a b' }],
    ['REQ', { ...packet, sender: 'a\r\nPUB x 0' }],
    ['REQ', { ...packet, sender: 'a..b' }],
    ['REQ', { ...packet, sender: 'a.*' }],
    ['REQ', { ...packet, sender: '>' }],
    ['REQ', { ...packet, sender: 'a'.repeat(200) }],
    ['REQ', { ...packet, action: {} }],
    ['REQ', { ...packet, meta: 'x' }],
    ['REQ', { ...packet, meta: [] }],
    ['REQ', { ...packet, meta: { request_id: 'x'.repeat(300) } }],
    ['REQ', { ...packet, meta: { request_id: {} } }],
    ['REQ', { ...packet, stream: true }],
    ['REQ', { ...packet, seq: 1 }],
    ['RES', { sender: 'a' }],
    ['EVENT', { sender: 'a', event: 'x', groups: 'g' }],
    ['EVENT', { sender: 'a', event: 'x', groups: [{}] }],
    ['INFO', { sender: 'a', instanceID: 'i' }],
    ['INFO', { sender: 'a', services: [] }],
    ['INFO', { sender: 'a', instanceID: 'i', services: [{ name: 's', actions: { x: null } }] }],
    ['INFO', { sender: 'a', instanceID: 'i', services: [{ name: 's', actions: [] }] }],
  ])('a %s like %j does not', (kind, payload) => {
    expect(packetFault(kind, payload)).not.toBeNull();
  });
});

describe('slips of parcels', () => {
  const id = 'ad5ef92b-1e54-4ea0-9cf3-f4d0a3d0a7f4';
  const read = (text: string) => readSlip(Buffer.from(text));

  test('are told from other messages by how they begin', () => {
    const slip = `{"parcel":"${id}","pieces":2,"sender":"a","id":"i"}`;
    expect(read(slip)).toEqual({ parcel: { id, pieces: 2 }, sender: 'a', id: 'i' });
    expect(read(`{"id":"i","params":${slip}}`)).toBeNull();
    expect(read(` ${slip}`)).toBeNull();
    expect(read('{}')).toBeNull();
  });

  test.each(['{"parcel":', `{"parcel":"${id}"}`, `{"parcel":"${id}","pieces":2,"sender":"a b","id":"i"}`])(
    '%s is malformed',
    (text) => {
      expect(read(text)).toBeUndefined();
    },
  );

  test.each([
    [{ $gt: '' }, 1],
    ['../x', 1],
    [id, 0],
    [id, 9],
    [id, 1.5],
    [id, '1'],
  ])('%j with %j pieces names none', (given, pieces) => {
    expect(parcelOf(given, pieces)).toBeNull();
  });
});

test('a process whose name cannot be on the bus does not start', () => {
  const bus = { servers: ['a:1'], credentials: { kind: 'none' }, tls: null } as const;
  expect(() => busOptions(bus, "ann's laptop-1", {} as never)).toThrow(/ann's laptop-1.*NODE_ID/);
});
