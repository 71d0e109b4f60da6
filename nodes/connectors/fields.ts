import type { CredentialField } from './contract';

type Field = Partial<Pick<CredentialField, 'required' | 'default' | 'example' | 'format'>>;

/** A field that may be shown. */
export const shown = (name: string, title: string, description: string, further: Field = {}): CredentialField => ({
  name,
  title,
  description,
  secret: false,
  required: false,
  ...further,
});

/** A field that is never shown again. */
export const hidden = (name: string, title: string, description: string, further: Field = {}): CredentialField => ({
  ...shown(name, title, description, further),
  secret: true,
});

export const HOST = shown('host', 'Host', 'Name or address of the server.', {
  required: true,
  example: 'server.example.com',
  format: 'host',
});

export const portField = (usual: number): CredentialField =>
  shown('port', 'Port', `${usual} unless it says so.`, { example: String(usual), format: 'port' });

export const CA = shown('ca', 'Certificate authority', 'One to trust besides the well-known ones, in PEM.');
