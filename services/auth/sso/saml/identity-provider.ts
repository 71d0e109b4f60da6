import { IdentityProvider } from 'samlify';

const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';

/**
 * An identity provider as samlify describes one. Single logout is not supported, but samlify writes a warning to the
 * console for a provider without an address of it; nothing is ever sent there.
 */
export const identityProvider = (entityID: string, entryPoint: string, signingCert?: string) =>
  IdentityProvider({
    entityID,
    wantAuthnRequestsSigned: false,
    ...(signingCert === undefined ? {} : { signingCert }),
    singleSignOnService: [{ Binding: REDIRECT, Location: entryPoint }],
    singleLogoutService: [{ Binding: REDIRECT, Location: entryPoint }],
  });
