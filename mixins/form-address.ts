/** The purpose of the public ids in addresses of forms: they do not disclose the id of the workflow, which is the secret of its webhook. */
export const FORM_ADDRESS = 'form addresses';
