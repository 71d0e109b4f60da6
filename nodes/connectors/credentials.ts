import type { CredentialField } from './contract';

/** The example may be left out before further members: `plainField('ca', 'CA', 'Text.', { required: false })`. */
const credential =
  (secret: boolean, format?: CredentialField['format']) =>
  (
    name: string,
    title: string,
    description: string,
    example: string | Partial<CredentialField> = {},
    further: Partial<CredentialField> = {},
  ): CredentialField => ({
    name,
    title,
    description,
    secret,
    required: true,
    ...(format === undefined ? {} : { format }),
    ...(typeof example === 'string' ? { example } : example),
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

export const CA = plainField('ca', 'CA certificate', 'Additional certificate authority to trust, in PEM format.', {
  required: false,
});
