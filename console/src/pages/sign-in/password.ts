/** As the API requires. */
export const MIN_PASSWORD_CHARS = 8;
export const PASSWORD_HINT = `At least ${MIN_PASSWORD_CHARS} characters`;
