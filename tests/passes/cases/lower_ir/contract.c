__rill_kernel__ void contract(float a, float b, float c, double d, float x[8])
{
    x[0] = a * b + c;
    x[1] = a * b - c;
    x[2] = c - a * b;
    x[3] = c + (a * b);
    x[4] = a * b + c * a;
    x[5] = a * b + d;
    float t = a * b;
    x[6] = t + c;
    x[7] += a * b;
    t -= a * b;
    x[0] = (x[1] -= a * b) + t;
}
