//! The escape valve: what stands in `other` never makes a submission fail (Z-057 … Z-066, Z-169).

use crate::checks;
use crate::checks::errors::refused;
use crate::checks::submissions::taken;

checks! {
    Must "Z-060" ["Z-057"] "a string in other never makes a payload fail, whatever it asks for"
        (OtherText) taken;
    Must "Z-059" ["Z-060" "Z-061"] "an array of strings in other is taken, whatever type the template declares"
        (OtherList) taken;
    Must "Z-059-number" [] "other is a string or an array of strings: a number is an error"
        (OtherNumber) refused;
    Should "Z-063" ["Z-060"] "a long other (16 KiB) does not make a payload fail"
        (OtherLong) taken;
    Must "Z-065" ["Z-060"] "an other that says nothing does not make a payload fail"
        (OtherEmpty) taken;
    Must "Z-169" ["Z-060" "Z-170"] "commands, markup and control characters in other do not make a payload fail"
        (OtherHostile) taken;
}
