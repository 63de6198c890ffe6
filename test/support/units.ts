export const kib = 2 ** 10;
export const mib = 2 ** 20;
export const gib = 2 ** 30;
