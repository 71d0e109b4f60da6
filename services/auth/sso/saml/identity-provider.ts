import { IdentityProvider } from 'samlify';

const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';

/**
 * An identity provider for samlify. Single logout is not supported; its address only prevents a console warning of samlify.
 */
export const identityProvider = (entityID: string, entryPoint: string, signingCert?: string) =>
  IdentityProvider({
    entityID,
    wantAuthnRequestsSigned: false,
    ...(signingCert === undefined ? {} : { signingCert }),
    singleSignOnService: [{ Binding: REDIRECT, Location: entryPoint }],
    singleLogoutService: [{ Binding: REDIRECT, Location: entryPoint }],
  });
