"""Fourier transforms of real arrays, as pairs of real and imaginary parts."""

from taglessad.fft.real import Spectrum as Spectrum
from taglessad.fft.real import irfft as irfft
from taglessad.fft.real import rfft as rfft
from taglessad.fft.real import rfftfreq as rfftfreq
