/**
 * Named CRCs: all of 8, 16 and 32 bits in the public catalogue (reveng). Parameters and check values (the CRC of the nine ASCII bytes "123456789") are those of the
 * public catalogue of parametrised CRC algorithms; the tests recompute every check value.
 */
import type { CrcParameters } from "./crc.js";

export interface CatalogueCrc extends CrcParameters {
  readonly name: string;
  readonly check: number;
}

type Row = [
  name: string,
  width: number,
  poly: number,
  init: number,
  reflected: boolean,
  xorout: number,
  check: number,
];

const ROWS: readonly Row[] = [
  ["CRC-8/AUTOSAR", 8, 0x2f, 0xff, false, 0xff, 0xdf],
  ["CRC-8/BLUETOOTH", 8, 0xa7, 0x00, true, 0x00, 0x26],
  ["CRC-8/CDMA2000", 8, 0x9b, 0xff, false, 0x00, 0xda],
  ["CRC-8/DARC", 8, 0x39, 0x00, true, 0x00, 0x15],
  ["CRC-8/DVB-S2", 8, 0xd5, 0x00, false, 0x00, 0xbc],
  ["CRC-8/GSM-A", 8, 0x1d, 0x00, false, 0x00, 0x37],
  ["CRC-8/GSM-B", 8, 0x49, 0x00, false, 0xff, 0x94],
  ["CRC-8/HITAG", 8, 0x1d, 0xff, false, 0x00, 0xb4],
  ["CRC-8/I-432-1", 8, 0x07, 0x00, false, 0x55, 0xa1],
  ["CRC-8/I-CODE", 8, 0x1d, 0xfd, false, 0x00, 0x7e],
  ["CRC-8/LTE", 8, 0x9b, 0x00, false, 0x00, 0xea],
  ["CRC-8/MAXIM-DOW", 8, 0x31, 0x00, true, 0x00, 0xa1],
  ["CRC-8/MIFARE-MAD", 8, 0x1d, 0xc7, false, 0x00, 0x99],
  ["CRC-8/NRSC-5", 8, 0x31, 0xff, false, 0x00, 0xf7],
  ["CRC-8/OPENSAFETY", 8, 0x2f, 0x00, false, 0x00, 0x3e],
  ["CRC-8/ROHC", 8, 0x07, 0xff, true, 0x00, 0xd0],
  ["CRC-8/SAE-J1850", 8, 0x1d, 0xff, false, 0xff, 0x4b],
  ["CRC-8/SMBUS", 8, 0x07, 0x00, false, 0x00, 0xf4],
  ["CRC-8/TECH-3250", 8, 0x1d, 0xff, true, 0x00, 0x97],
  ["CRC-8/WCDMA", 8, 0x9b, 0x00, true, 0x00, 0x25],
  ["CRC-16/ARC", 16, 0x8005, 0x0000, true, 0x0000, 0xbb3d],
  ["CRC-16/CDMA2000", 16, 0xc867, 0xffff, false, 0x0000, 0x4c06],
  ["CRC-16/CMS", 16, 0x8005, 0xffff, false, 0x0000, 0xaee7],
  ["CRC-16/DDS-110", 16, 0x8005, 0x800d, false, 0x0000, 0x9ecf],
  ["CRC-16/DECT-R", 16, 0x0589, 0x0000, false, 0x0001, 0x007e],
  ["CRC-16/DECT-X", 16, 0x0589, 0x0000, false, 0x0000, 0x007f],
  ["CRC-16/DNP", 16, 0x3d65, 0x0000, true, 0xffff, 0xea82],
  ["CRC-16/EN-13757", 16, 0x3d65, 0x0000, false, 0xffff, 0xc2b7],
  ["CRC-16/GENIBUS", 16, 0x1021, 0xffff, false, 0xffff, 0xd64e],
  ["CRC-16/GSM", 16, 0x1021, 0x0000, false, 0xffff, 0xce3c],
  ["CRC-16/IBM-3740", 16, 0x1021, 0xffff, false, 0x0000, 0x29b1],
  ["CRC-16/IBM-SDLC", 16, 0x1021, 0xffff, true, 0xffff, 0x906e],
  ["CRC-16/ISO-IEC-14443-3-A", 16, 0x1021, 0xc6c6, true, 0x0000, 0xbf05],
  ["CRC-16/KERMIT", 16, 0x1021, 0x0000, true, 0x0000, 0x2189],
  ["CRC-16/LJ1200", 16, 0x6f63, 0x0000, false, 0x0000, 0xbdf4],
  ["CRC-16/M17", 16, 0x5935, 0xffff, false, 0x0000, 0x772b],
  ["CRC-16/MAXIM-DOW", 16, 0x8005, 0x0000, true, 0xffff, 0x44c2],
  ["CRC-16/MCRF4XX", 16, 0x1021, 0xffff, true, 0x0000, 0x6f91],
  ["CRC-16/MODBUS", 16, 0x8005, 0xffff, true, 0x0000, 0x4b37],
  ["CRC-16/NRSC-5", 16, 0x080b, 0xffff, true, 0x0000, 0xa066],
  ["CRC-16/OPENSAFETY-A", 16, 0x5935, 0x0000, false, 0x0000, 0x5d38],
  ["CRC-16/OPENSAFETY-B", 16, 0x755b, 0x0000, false, 0x0000, 0x20fe],
  ["CRC-16/PROFIBUS", 16, 0x1dcf, 0xffff, false, 0xffff, 0xa819],
  ["CRC-16/RIELLO", 16, 0x1021, 0xb2aa, true, 0x0000, 0x63d0],
  ["CRC-16/SPI-FUJITSU", 16, 0x1021, 0x1d0f, false, 0x0000, 0xe5cc],
  ["CRC-16/T10-DIF", 16, 0x8bb7, 0x0000, false, 0x0000, 0xd0db],
  ["CRC-16/TELEDISK", 16, 0xa097, 0x0000, false, 0x0000, 0x0fb3],
  ["CRC-16/TMS37157", 16, 0x1021, 0x89ec, true, 0x0000, 0x26b1],
  ["CRC-16/UMTS", 16, 0x8005, 0x0000, false, 0x0000, 0xfee8],
  ["CRC-16/USB", 16, 0x8005, 0xffff, true, 0xffff, 0xb4c8],
  ["CRC-16/XMODEM", 16, 0x1021, 0x0000, false, 0x0000, 0x31c3],
  ["CRC-32/AIXM", 32, 0x814141ab, 0x00000000, false, 0x00000000, 0x3010bf7f],
  ["CRC-32/AUTOSAR", 32, 0xf4acfb13, 0xffffffff, true, 0xffffffff, 0x1697d06a],
  ["CRC-32/BASE91-D", 32, 0xa833982b, 0xffffffff, true, 0xffffffff, 0x87315576],
  ["CRC-32/BZIP2", 32, 0x04c11db7, 0xffffffff, false, 0xffffffff, 0xfc891918],
  ["CRC-32/CD-ROM-EDC", 32, 0x8001801b, 0x00000000, true, 0x00000000, 0x6ec2edc4],
  ["CRC-32/CKSUM", 32, 0x04c11db7, 0x00000000, false, 0xffffffff, 0x765e7680],
  ["CRC-32/ISCSI", 32, 0x1edc6f41, 0xffffffff, true, 0xffffffff, 0xe3069283],
  ["CRC-32/ISO-HDLC", 32, 0x04c11db7, 0xffffffff, true, 0xffffffff, 0xcbf43926],
  ["CRC-32/JAMCRC", 32, 0x04c11db7, 0xffffffff, true, 0x00000000, 0x340bc6d9],
  ["CRC-32/MEF", 32, 0x741b8cd7, 0xffffffff, true, 0x00000000, 0xd2c22f51],
  ["CRC-32/MPEG-2", 32, 0x04c11db7, 0xffffffff, false, 0x00000000, 0x0376e6e7],
  ["CRC-32/XFER", 32, 0x000000af, 0x00000000, false, 0x00000000, 0xbd0be338],
];

/** The catalogue in its defined order: by width, then by name. */
export const crcCatalogue: readonly CatalogueCrc[] = ROWS.map(
  ([name, width, poly, init, reflected, xorout, check]) => ({
    name,
    width,
    poly,
    init,
    refin: reflected,
    refout: reflected,
    xorout,
    check,
  }),
);

/** The CRC of a name in upper or lower case; undefined when the catalogue has no such CRC. */
export function findCrc(name: string): CatalogueCrc | undefined {
  const wanted = name.toUpperCase();
  return crcCatalogue.find((crc) => crc.name === wanted);
}
