import { SamlLib, ServiceProvider } from 'samlify';
import { callbackUrl, metadataUrl } from '../urls';
import { identityProvider } from './identity-provider';

const POST = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';
const EMAIL = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';

/** The service provider for one tenant at one base URL. */
const serviceProvider = (base: string, slug: string) =>
  ServiceProvider({
    entityID: metadataUrl(base, slug),
    authnRequestsSigned: false,
    wantAssertionsSigned: true,
    nameIDFormat: [EMAIL],
    assertionConsumerService: [{ Binding: POST, Location: callbackUrl(base), isDefault: true }],
  });

/** Service provider metadata (SAML metadata 2.0), which identity providers can import. */
export const metadataXml = (base: string, slug: string): string => serviceProvider(base, slug).getMetadata();

interface Request {
  readonly id: string;
  readonly relayState: string;
  readonly base: string;
  readonly slug: string;
  readonly now: number;
}

/** The entry point URL with an AuthnRequest (HTTP-Redirect binding). */
export function requestLocation(
  settings: { readonly entry_point: string; readonly issuer: string },
  { id, relayState, base, slug, now }: Request,
): string {
  const provider = identityProvider(settings.issuer, settings.entry_point);
  const values = {
    ID: id,
    Destination: settings.entry_point,
    Issuer: metadataUrl(base, slug),
    IssueInstant: new Date(now).toISOString(),
    NameIDFormat: EMAIL,
    ProtocolBinding: POST,
    AssertionConsumerServiceURL: callbackUrl(base),
    AllowCreate: 'true',
    // Not part of the message.
    AssertionConsumerServiceIndex: undefined,
    ForceAuthn: undefined,
  };
  return serviceProvider(base, slug).createLoginRequest(provider, 'redirect', {
    relayState,
    customTagReplacement: (template: string) => ({ id, context: SamlLib.replaceTagsByValue(template, values) }),
  }).context;
}
