import { Errors } from 'moleculer';
import { AppError } from '../../../lib/errors';
import { busOptions } from '../../../lib/bus';
import { expiredNodes } from '../../../lib/bus/discoverer';
import { packetFault } from '../../../lib/bus/packets';
import { parseOffloaded } from '../../../lib/bus/offload-store';
import { readReference } from '../../../lib/bus/claim-check';
import { classifyFailure, type FailureKind } from '../../../lib/bus/retry';

describe('classifying a failed call', () => {
  const about = (action: string) => ({ action, nodeID: 'n' });
  const cases: [string, unknown, FailureKind, FailureKind][] = [
    ['no node has the action', new Errors.ServiceNotFoundError(about('a.b')), 'repeat', 'repeat'],
    ['the node accepts no more calls', new Errors.ServiceNotAvailableError(about('a.b')), 'repeat', 'repeat'],
    ['no connection', new Errors.BrokerDisconnectedError('lost'), 'repeat', 'repeat'],
    ['the node went away during the call', new Errors.RequestRejectedError(about('a.b')), 'repeat', 'cut_off'],
    ['the call timed out', new Errors.RequestTimeoutError(about('a.b')), 'timed_out', 'timed_out'],
    ['a nested call found no endpoint', new Errors.ServiceNotFoundError(about('c.d')), 'pass', 'pass'],
    ['a nested call was cut off', new Errors.RequestRejectedError(about('c.d')), 'pass', 'pass'],
    ['the action rejected the call', new AppError('unavailable', 'Not now'), 'pass', 'pass'],
    ['a value that is no error was thrown', 'text', 'pass', 'pass'],
  ];

  test.each(cases)('%s', (_, fault, repeatable, once) => {
    expect([classifyFailure(fault, 'a.b', true), classifyFailure(fault, 'a.b', false)]).toEqual([repeatable, once]);
  });
});

test('nodes whose last heartbeat is older than the limit have expired', () => {
  const heartbeatAt = new Map([
    ['old', 1_000],
    ['edge', 1_500],
    ['new', 3_000],
  ]);
  expect(expiredNodes(heartbeatAt, 4_000, 2_500)).toEqual(['old']);
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

describe('references to large messages', () => {
  const id = 'ad5ef92b-1e54-4ea0-9cf3-f4d0a3d0a7f4';
  const read = (text: string) => readReference(Buffer.from(text));

  test('are recognized by their first bytes', () => {
    const reference = `{"parcel":"${id}","pieces":2,"sender":"a","id":"i"}`;
    expect(read(reference)).toEqual({ message: { id, pieces: 2 }, sender: 'a', id: 'i' });
    expect(read(`{"id":"i","params":${reference}}`)).toBeNull();
    expect(read(` ${reference}`)).toBeNull();
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
    expect(parseOffloaded(given, pieces)).toBeNull();
  });
});

test('a process with an invalid node id does not start', () => {
  const bus = { servers: ['a:1'], credentials: { kind: 'none' }, tls: null } as const;
  expect(() => busOptions(bus, "ann's laptop-1", {} as never)).toThrow(/ann's laptop-1.*NODE_ID/);
});
