/** Invalid input or credentials of an action. The message is shown to the author of the workflow. */
export class InvalidInputError extends Error {}
