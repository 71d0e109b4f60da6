import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** The options that a server sends a browser, as far as an authenticator reads them. */
export interface CreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
}
export interface RequestOptions {
  readonly challenge: string;
  readonly rpId: string;
}

/** What a test makes different from a proper answer. */
export interface Deviations {
  readonly origin?: string;
  readonly crossOrigin?: boolean;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly userVerified?: boolean;
  readonly userPresent?: boolean;
  readonly backupEligible?: boolean;
  readonly counter?: number;
  readonly userHandle?: string | null;
  readonly type?: string;
}

const FLAG = { userPresent: 0x01, userVerified: 0x04, backupEligible: 0x08, backedUp: 0x10, attested: 0x40 } as const;
const ES256 = -7;

/** An authenticator in software: one ES256 credential (WebAuthn Level 3, section 6), which answers as browsers do. */
export class SoftwareAuthenticator {
  readonly id = randomBytes(32).toString('base64url');
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  #userHandle = '';
  /** Of signatures; zero where it does not count. */
  counter = 0;

  constructor(
    readonly origin: string,
    readonly counts = false,
  ) {}

  /** The answer to `navigator.credentials.create`. */
  create(options: CreationOptions, deviations: Deviations = {}, attestation = this.#noAttestation()) {
    this.#userHandle = options.user.id;
    const data = Buffer.concat([
      this.#data(options.rp.id, FLAG.attested, deviations),
      Buffer.alloc(16),
      Buffer.from([0, 32]),
      Buffer.from(this.id, 'base64url'),
      coseKey(this.#keys.publicKey),
    ]);
    const attestationObject = encodeCbor(new Map([...attestation, ['authData', data]])).toString('base64url');
    const clientDataJSON = this.#clientData('webauthn.create', options.challenge, deviations).toString('base64url');
    const response = { clientDataJSON, attestationObject, transports: ['internal'] };
    return { id: this.id, rawId: this.id, type: 'public-key', response, clientExtensionResults: {} };
  }

  /** The answer to `navigator.credentials.get`. */
  get(options: RequestOptions, deviations: Deviations = {}) {
    if (this.counts) this.counter += 1;
    const authenticatorData = this.#data(options.rpId, 0, deviations);
    const clientData = this.#clientData('webauthn.get', options.challenge, deviations);
    const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientData).digest()]);
    const response = {
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authenticatorData.toString('base64url'),
      signature: sign('sha256', signed, this.#keys.privateKey).toString('base64url'),
      userHandle: deviations.userHandle === undefined ? this.#userHandle : deviations.userHandle,
    };
    return { id: this.id, rawId: this.id, type: 'public-key', response, clientExtensionResults: {} };
  }

  #noAttestation(): [string, unknown][] {
    return [
      ['fmt', 'none'],
      ['attStmt', new Map()],
    ];
  }

  #clientData(type: string, challenge: string, deviations: Deviations): Buffer {
    const content = {
      type: deviations.type ?? type,
      challenge: deviations.challenge ?? challenge,
      origin: deviations.origin ?? this.origin,
      crossOrigin: deviations.crossOrigin ?? false,
    };
    return Buffer.from(JSON.stringify(content));
  }

  /** Authenticator data (section 6.1): the hash of the RP ID, flags and counter. */
  #data(rpId: string, more: number, deviations: Deviations): Buffer {
    const { userPresent = true, userVerified = true, backupEligible = true, counter = this.counter } = deviations;
    const flags =
      more |
      (userPresent ? FLAG.userPresent : 0) |
      (userVerified ? FLAG.userVerified : 0) |
      (backupEligible ? FLAG.backupEligible | FLAG.backedUp : 0);
    const tail = Buffer.alloc(5);
    tail.writeUInt8(flags, 0);
    tail.writeUInt32BE(counter, 1);
    const hash = createHash('sha256')
      .update(deviations.rpId ?? rpId)
      .digest();
    return Buffer.concat([hash, tail]);
  }
}

function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const members: [number, unknown][] = [
    [1, 2],
    [3, ES256],
    [-1, 1],
    [-2, Buffer.from(x, 'base64url')],
    [-3, Buffer.from(y, 'base64url')],
  ];
  return encodeCbor(new Map(members));
}

/** CBOR (RFC 8949) of integers, texts, bytes, arrays and maps. */
export function encodeCbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value);
  if (typeof value === 'string') return Buffer.concat([cborHead(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([cborHead(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([cborHead(4, value.length), ...value.map(encodeCbor)]);
  if (value instanceof Map)
    return Buffer.concat([cborHead(5, value.size), ...[...value].flat().map((each: unknown) => encodeCbor(each))]);
  throw new TypeError(`No CBOR for ${String(value)}`);
}

function cborHead(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  if (length < 256) return Buffer.from([(major << 5) | 24, length]);
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
}
