import type { CredentialField } from './contract';

const credential =
  (secret: boolean, format?: CredentialField['format']) =>
  (
    name: string,
    title: string,
    description: string,
    example?: string,
    further: Partial<CredentialField> = {},
  ): CredentialField => ({
    name,
    title,
    description,
    secret,
    required: true,
    ...(example === undefined ? {} : { example }),
    ...(format === undefined ? {} : { format }),
    ...further,
  });

/** A credential that is never shown again. */
export const secretField = credential(true);
/** A field of a connection that may be shown. */
export const plainField = credential(false);
/** The address of the customer's own installation. */
export const urlField = credential(false, 'url');

export const HOST = plainField('host', 'Host', 'Host name or IP address of the server.', 'server.example.com', {
  format: 'host',
});

export const portField = (port: number): CredentialField =>
  plainField('port', 'Port', `Port of the server. Default: ${port}.`, String(port), {
    required: false,
    format: 'port',
  });

export const CA = plainField(
  'ca',
  'CA certificate',
  'Additional certificate authority to trust, in PEM format.',
  undefined,
  { required: false },
);
