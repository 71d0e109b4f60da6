import { Keyring, masterKeyId } from '../../../lib/keyring';
import { checkMasterKey } from '../../../lib/master-key';

const key = (byte: number): Buffer => Buffer.alloc(32, byte);
const what = { purpose: 'test', salt: 't1', context: ['t1', 'A'], what: 'secret A' };

describe('a keyring', () => {
  it('encrypts with the newest key and decrypts with any', () => {
    const before = new Keyring(key(1)).seal(what, 'plain');
    const after = new Keyring(key(2), [key(1)]);
    expect(after.open(what, before).toString()).toBe('plain');
    expect(after.seal(what, 'plain').key_id).toBe(masterKeyId(key(2)));
    expect(after.ids).toEqual([masterKeyId(key(2)), masterKeyId(key(1))]);
  });

  it('accepts the binary types of drivers', () => {
    const keyring = new Keyring(key(1));
    const { sealed, key_id } = keyring.seal(what, 'plain');
    expect(keyring.open(what, { sealed: { buffer: sealed }, key_id }).toString()).toBe('plain');
  });

  it.each([
    ['another purpose', { ...what, purpose: 'other' }],
    ['another salt', { ...what, salt: 't2' }],
    ['another context', { ...what, context: ['t1', 'B'] }],
  ])('decrypts nothing for %s', (_, other) => {
    const keyring = new Keyring(key(1));
    expect(() => keyring.open(other, keyring.seal(what, 'plain'))).toThrow('cannot be decrypted');
  });

  it('rejects a value whose key id was replaced by another known one', () => {
    const keyring = new Keyring(key(1), [key(2)]);
    const sealed = { ...keyring.seal(what, 'plain'), key_id: masterKeyId(key(2)) };
    expect(() => keyring.open(what, sealed)).toThrow('cannot be decrypted');
  });

  it('names the key of a value that it cannot decrypt', () => {
    const sealed = new Keyring(key(1)).seal(what, 'plain');
    expect(() => new Keyring(key(2)).open(what, sealed)).toThrow(masterKeyId(key(1)));
  });
});

describe('the check of a master key', () => {
  it.each([
    [[], 'a', [], 'first'],
    [['a'], 'a', [], 'current'],
    [['a'], 'b', ['a'], 'rotate'],
    [['a', 'b'], 'b', ['a'], 'current'],
    [['a', 'b'], 'a', ['b'], 'retired'],
    [['a', 'b'], 'c', ['b'], 'rotate'],
    [['a', 'b'], 'c', ['a'], 'refused'],
    [['a', 'b'], 'a', [], 'refused'],
    [['a'], 'b', [], 'refused'],
    [['a', 'b', 'c'], 'a', ['c'], 'retired'],
  ])('after %j, for %s with %j besides, is %s', (recorded, given, others, kind) => {
    expect(checkMasterKey(recorded, given, others).kind).toBe(kind);
  });
});
