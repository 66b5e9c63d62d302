/** Default limits on a JSON value: those of the settings `depthMax` and `itemValuesMax`. */

export const depthDefault = 32;
export const itemValuesDefault = 20_000;
