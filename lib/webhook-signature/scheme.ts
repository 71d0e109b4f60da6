/** How a sender authenticates a request: by an HMAC over the body's bytes, or a shared token. */
export interface SignatureScheme {
  /** In lower case. */
  readonly header: string;
  /** `token`: the header holds the secret itself. */
  readonly algorithm: 'sha1' | 'sha256' | 'sha512' | 'token';
  readonly encoding: 'hex' | 'base64';
  /** The signed text: `{body}`, `{timestamp}` and `{id}` are placeholders. */
  readonly signed: string;
  /** Text before a signature. */
  readonly prefix?: string;
  /** Separator of entries in the header; one signature must be valid. */
  readonly separator?: string;
  /** Source of the request's time: its own header, or an entry of the signature header. */
  readonly timestamp?: { readonly header: string } | { readonly prefix: string };
  readonly idHeader?: string;
  /** Maximum difference between the request's time and now. */
  readonly toleranceMs?: number;
  /** `whsec`: the key is base64 behind `whsec_`. */
  readonly secret?: 'whsec';
}
